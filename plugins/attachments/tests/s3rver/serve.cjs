// A server of S3's protocol on loopback, which knows one key; it prints its port, and ends with its standard input.
const S3rver = require("s3rver");

const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: process.argv[2], configureBuckets: [{ name: "files" }] });
server.run().then(({ port }) => console.log(port));
process.stdin.resume().on("end", () => process.exit());
