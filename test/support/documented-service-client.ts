import { request } from 'node:http';

// Requests the path of the second parameter from the service behind a socket, and prints the answer.
const [, , socketPath = '', verb = ''] = process.argv;
const outgoing = request({ socketPath, path: `/${verb}` }, (answer) => {
  if (answer.statusCode !== 200) process.exitCode = 1;
  // Its output is that of the shell as well, so it must not be ended with the answer.
  answer.on('data', (chunk: Buffer) => process.stdout.write(chunk));
});
outgoing.end();
