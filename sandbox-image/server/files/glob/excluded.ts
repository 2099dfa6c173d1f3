/** Build results and other people's code: never what somebody searches for by name. */
export const EXCLUDED_DIRECTORIES = [
  "node_modules",
  "bower_components",
  "__pycache__",
  "venv",
  "build",
  "dist",
  "out",
  "target",
  "coverage",
  "DerivedData",
];
