import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';

// Asks the service behind a socket for what the second parameter names, and prints the answer.
const [, , socketPath = '', verb = ''] = process.argv;
const outgoing = request({ socketPath, path: `/${verb}` }, (answer) => {
  if (answer.statusCode !== 200) process.exitCode = 1;
  void pipeline(answer, process.stdout);
});
outgoing.end();
