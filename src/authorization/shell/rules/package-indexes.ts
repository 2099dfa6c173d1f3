import type { Call, Inspector } from "../rule.ts";
import { isUnknown, readable, type Word } from "../word.ts";

/** Options of package managers that say where packages come from. */
const OPTIONS =
  /^(?:--(?:index-url|extra-index-url|index|default-index|find-links|trusted-host|registry|source|channel|repository|mirror|proxy)|-[ifsc])(?:=([\s\S]*))?$/;

/** Where everyone gets packages from, and this machine. */
const USUAL =
  /^(?:https?|sparse\+https?):\/\/(?:[\w.-]+@)?(?:(?:[\w-]+\.)*(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|rubygems\.org|crates\.io|golang\.org|pytorch\.org|anaconda\.org|conda\.io|packagist\.org)|localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/;

/** A package runs code when it is installed: one from elsewhere is asked for. */
export function foreignIndex({ args, program }: Call, inspect: Inspector): void {
  for (const [index, { text, shape }] of args.entries()) {
    const [option, attached] = OPTIONS.exec(shape) ?? [];
    if (option === undefined) continue;
    const value = attached === undefined ? args[index + 1] : { text, shape: attached };
    const isHost = shape.startsWith("--trusted-host");
    if (value && (isForeign(value) || (isHost && !/^(?:localhost|127\.)/.test(value.shape))))
      inspect.click(`${program} gets packages from another index`);
  }
}

/** An address other than the usual ones. */
export function isForeign(value: Word): boolean {
  const text = readable(value.shape).trim();
  if (isUnknown(value)) return /^[a-z+]+:\/\//.test(text);
  return text
    .split(/[\s,|]+/)
    .some((one) => /^[a-z+]+:\/\//.test(one) && !USUAL.test(one) && !one.startsWith("file:"));
}

/** Variables that do the same. */
export const INDEX_VARIABLES =
  /^(?:(?:PIP|UV)_(?:EXTRA_|DEFAULT_)?INDEX(?:_URL)?|PIP_(?:TRUSTED_HOST|FIND_LINKS)|UV_FIND_LINKS|npm_config_registry|NPM_CONFIG_REGISTRY|YARN_(?:NPM_)?REGISTRY(?:_SERVER)?|GOPROXY|CARGO_(?:REGISTRIES_\w+_INDEX|REGISTRY_\w+)|BUNDLE_MIRROR\w*|GEM_SOURCE|CONDA_CHANNELS|COMPOSER_REPO_PACKAGIST)$/;
