/** Hosts that belong together, by the name that a list may give instead of them. Each is an entry of a list itself. */
export const PRESETS: Readonly<Record<string, readonly string[]>> = {
  npm: ["registry.npmjs.org:443", "registry.yarnpkg.com:443", "repo.yarnpkg.com:443"],
  pypi: ["pypi.org:443", "files.pythonhosted.org:443"],
  debian: [
    "deb.debian.org:80",
    "deb.debian.org:443",
    "security.debian.org:80",
    "security.debian.org:443",
    "cdn-fastly.deb.debian.org:80",
    "cdn-fastly.deb.debian.org:443",
  ],
  github: [
    "github.com:443",
    "api.github.com:443",
    "codeload.github.com:443",
    "raw.githubusercontent.com:443",
    "objects.githubusercontent.com:443",
    "release-assets.githubusercontent.com:443",
    "media.githubusercontent.com:443",
    "github-cloud.githubusercontent.com:443",
  ],
  gitlab: ["gitlab.com:443", "registry.gitlab.com:443"],
  crates: ["crates.io:443", "index.crates.io:443", "static.crates.io:443"],
  golang: ["proxy.golang.org:443", "sum.golang.org:443", "go.dev:443", "dl.google.com:443"],
};
