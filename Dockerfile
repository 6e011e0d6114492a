# A static image: the program, the certificates of public authorities, a folder for temporary files, and nothing else.
#
#   docker build -t parley .
#   docker run --name parley -p 8080:8080 -v parley:/data parley serve --demo
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/parleyhq/parley/internal/cli.version=${VERSION}" -o /parley . \
 && mkdir -p /empty/data /open/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /parley /usr/local/bin/parley
COPY --from=build --chown=10001:10001 --chmod=0700 /empty /
COPY --from=build --chmod=1777 /open /
USER 10001:10001
ENV PARLEY_DATA=/data PARLEY_LISTEN=0.0.0.0:8080 PARLEY_OPS_LISTEN=127.0.0.1:9464
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/parley"]
CMD ["serve"]
