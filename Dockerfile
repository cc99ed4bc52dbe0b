# The registry as one small image: no build step, no tests, no reference agents, no npm.
# It runs as a user without rights and writes nowhere but /tmp.
# The digests come from deploy/compose/pin-images.sh: `docker compose build` passes them on, and without them nothing is built.
ARG DIGEST_NODE_24_21_0_BOOKWORM_SLIM
ARG DIGEST_DEBIAN_BOOKWORM_SLIM

FROM node:24.21.0-bookworm-slim@${DIGEST_NODE_24_21_0_BOOKWORM_SLIM} AS files
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# the Node of the image is one of these packages: package-lock.json holds its hash
RUN mv node_modules/node-linux-*/bin/node /node && rm -rf node_modules/node-linux-* node_modules/.bin
# a third of the packages' bytes, which no process reads
RUN find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete
COPY LICENSE ./
COPY bin bin
COPY src src
COPY pipelines pipelines
COPY schemas schemas
COPY docs/README.md docs/README.md
COPY docs/security.md docs/security.md
COPY docs/guides docs/guides
COPY docs/operating docs/operating
COPY docs/reference docs/reference
COPY docs/screenshots docs/screenshots
COPY deploy/healthcheck.mjs deploy/healthcheck.mjs
# whatever the permissions were where it was checked out
RUN chmod -R a+rX,go-w /app && chmod 0755 /node

FROM debian:bookworm-slim@${DIGEST_DEBIAN_BOOKWORM_SLIM}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=files /node /usr/local/bin/node
COPY --from=files /app /app
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/healthcheck.mjs", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["node", "/app/bin/agent-registry.mjs"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
