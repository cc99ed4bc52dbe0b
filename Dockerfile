# The registry as one small image: no build step, no tests, no reference agents, no shell script.
# It runs as `node` and writes nowhere but /tmp.

FROM node:24.21.0-bookworm-slim AS files
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# without install scripts: the only one brings a second Node, which the base image is already
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node node_modules/.bin
# a third of the packages' bytes, which no process reads
RUN find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete
COPY LICENSE ./
COPY bin bin
COPY src src
COPY pipelines pipelines
COPY schemas schemas
COPY deploy/healthcheck.mjs deploy/healthcheck.mjs
# whatever the permissions were where it was checked out
RUN chmod -R a+rX,go-w /app

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=files /app /app
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/healthcheck.mjs", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["node", "/app/bin/agent-registry.mjs"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
