/** For a person whose name is not known. In a file of its own: the web page is made of what it imports. */
export const NAMELESS = "someone";
