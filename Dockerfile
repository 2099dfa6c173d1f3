# The bot and the engine proxy, which is the same image with another command. `npm run compose:build` builds it also where
# no image registry answers: it then brings its own base, and the packages in a directory of this name.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
RUN groupadd --gid 10001 deckhand && \
  useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin deckhand && \
  install -d -o 10001 -g 10001 -m 0700 /data && install -d -m 0755 /run/deckhand
WORKDIR /app
COPY package.json package-lock.json packages* ./
# The lock file names no registry; whatever npm is set up with here is asked. One stage: a second one would leave an image
# without a name behind.
RUN [ -d node_modules ] || { npm ci --omit=dev --no-audit --no-fund && npm cache clean --force; }
COPY scripts scripts
COPY sandbox-image sandbox-image
COPY prompts prompts
COPY adapters adapters
COPY src src
ENV NODE_ENV=production DECKHAND_DATA_DIR=/data
# No VOLUME: the engine proxy, which is the same image, would get one that compose leaves behind.
USER 10001:10001
# Node from the lock file, not the base's.
CMD ["node_modules/.bin/node", "src/main.ts"]
