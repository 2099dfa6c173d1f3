const STEP = 1_000;
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "312 bytes", "1.4 MB": as people read a size. */
export function sizeInWords(bytes: number): string {
  let unit = 0;
  let size = bytes;
  while (size >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return `${size.toFixed(digits).replace(/\.0$/, "")} ${unit === 0 && bytes === 1 ? "byte" : UNITS[unit]}`;
}
