/** A password in an address stays out of the thread. */
export function withoutSecret(address: string): string {
  return address.replace(/(:\/\/[^/@\s:]*:)[^/@\s]*@/g, "$1***@");
}
