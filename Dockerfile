# Footnote in a container. docs/how-to/run-as-a-service.md shows how to use it.
#
#   docker build -t footnote .
#   docker run -d --name footnote --restart unless-stopped -p 127.0.0.1:7007:7007 -v footnote:/data footnote
#   docker exec footnote footnote sign-in-link

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE /build/README.md ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
COPY --from=build /build/docs ./docs
COPY --from=build /build/samples ./samples
COPY --from=build /build/node_modules ./node_modules
RUN ln -s /app/bin/footnote.js /usr/local/bin/footnote && install -d -o node -g node -m 0700 /data
ENV FOOTNOTE_DATA_DIR=/data FOOTNOTE_HOST=0.0.0.0 FOOTNOTE_PORT=7007 FOOTNOTE_LOG=json
USER node
VOLUME /data
EXPOSE 7007
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FOOTNOTE_PORT}/healthz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/footnote.js"]
CMD ["serve"]
