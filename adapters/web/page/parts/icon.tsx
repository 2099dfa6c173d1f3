const PATHS = {
  menu: "M4 6h16M4 12h16M4 18h16",
  plus: "M12 5v14M5 12h14",
  send: "M5 12h13M12 5l7 7-7 7",
  stop: "M7 7h10v10H7z",
  attach:
    "M20 11.5l-8 8a5 5 0 01-7-7l8.5-8.5a3.3 3.3 0 014.7 4.7L9.7 17.2a1.7 1.7 0 01-2.4-2.4l7.7-7.7",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  terminal: "M5 7l5 5-5 5M12 17h7",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  folder: "M3 6h6l2 2h10v11H3z",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  clock: "M12 7v5l3 2M12 3a9 9 0 100 18 9 9 0 000-18z",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  question: "M9 9a3 3 0 115 2.2c-1 .8-2 1.3-2 2.8M12 17.5h.01",
  down: "M12 5v14M6 13l6 6 6-6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  archive: "M3 5h18v4H3zM5 9v10h14V9M10 13h4",
  pencil: "M4 20l1-4L16 5l3 3L8 19z",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  people:
    "M9 11a3 3 0 100-6 3 3 0 000 6zM3 20c0-4 2.5-6 6-6s6 2 6 6M16 5.5a3 3 0 010 5.4M17.5 14.5c2.2.6 3.5 2.5 3.5 5.5",
  link: "M10 14a4 4 0 006 .4l3-3a4 4 0 00-5.7-5.7l-1.2 1.2M14 10a4 4 0 00-6-.4l-3 3a4 4 0 005.7 5.7l1.2-1.2",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  back: "M15 5l-7 7 7 7",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: what it stands for is always written beside it or in the button's name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
