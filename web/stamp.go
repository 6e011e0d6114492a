package web

// stampName is the file in which the build notes which sources it was made from.
const stampName = "sources.sha256"
