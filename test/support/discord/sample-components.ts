import type { Fields } from "./values.ts";

export const text = (characters: number) => "x".repeat(characters);
export const display = (content: string) => ({ type: 10, content });
export const button = (fields: Fields = {}) => ({
  type: 2,
  style: 1,
  label: "x",
  custom_id: "x",
  ...fields,
});
export const row = (...components: readonly Fields[]) => ({ type: 1, components });
export const buttons = (number: number) =>
  Array.from({ length: number }, (_, index) => button({ custom_id: String(index) }));
export const option = (value: string) => ({ label: value, value });
export const select = (fields: Fields = {}) => ({
  type: 3,
  custom_id: "s",
  options: [option("1")],
  ...fields,
});
export const options = (number: number) =>
  Array.from({ length: number }, (_, index) => option(String(index)));
export const field = (fields: Fields = {}) => ({ type: 4, custom_id: "f", style: 1, ...fields });
export const label = (component: Fields, fields: Fields = {}) => ({
  type: 18,
  label: "Why",
  component,
  ...fields,
});
export const modal = (fields: Fields = {}) => ({
  custom_id: "m",
  title: "Why?",
  components: [label(field())],
  ...fields,
});

export function rows(number: number): Fields[] {
  return buttons(number).map((one) => row(one));
}

export function fields(number: number): Fields[] {
  return Array.from({ length: number }, (_, index) => label(field({ custom_id: String(index) })));
}
