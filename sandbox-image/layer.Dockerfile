# Deckhand's server on a team's own image: `npm run image -- --from IMAGE`.
ARG BASE
FROM deckhand-sandbox AS deckhand

FROM ${BASE}
USER root
COPY --from=deckhand /opt/deckhand /opt/deckhand
COPY --from=deckhand /usr/local/lib/deckhand-npm /usr/local/lib/deckhand-npm
COPY --from=deckhand /usr/local/bin/sudo /usr/local/bin/sudo
COPY prepare /tmp/build/
RUN sh /tmp/build/prepare make_locale user people_node server && rm -rf /tmp/build
ENV LANG=en_US.UTF-8
WORKDIR /workspace
ENTRYPOINT []
CMD ["/opt/deckhand/init"]
