# Build:     docker build -t tidings .
# Password:  the file ./password holds it: inside a container the page listens on all of the container's addresses, so it
#            needs one. The node runs as user 65532, who must be able to read the file:
#                chmod 600 password && sudo chown 65532 password
# Run:       docker run -d --name tidings -p 127.0.0.1:7600:7600 -p 7601:7601/tcp -p 7601:7601/udp \
#                -v tidings:/data -v ./password:/run/secrets/password:ro tidings
#            At port 7601 other nodes find this one.
# Commands:  docker exec tidings /tidings list       see docs/running.md
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /tidings ./cmd/tidings && mkdir /empty

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /tidings /tidings
COPY --from=build --chown=65532:65532 --chmod=0700 /empty /data
USER 65532:65532
ENV TIDINGS_DATA=/data \
    TIDINGS_HTTP=0.0.0.0:7600 \
    TIDINGS_PASSWORD_FILE=/run/secrets/password
VOLUME /data
EXPOSE 7600 7601/tcp 7601/udp
ENTRYPOINT ["/tidings"]
CMD ["up"]
