import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** A run of schemathesis: what it asks, as whom, and how long. */
export interface SchemaRun {
  /** Base of the URLs, with the port. */
  readonly url: string;
  /** The description in OpenAPI. */
  readonly description: unknown;
  /** Paths of the operations that it calls, as a regular expression. */
  readonly paths: string;
  /** Header fields of every request, such as `Authorization: Bearer …`. */
  readonly headers?: readonly string[];
  readonly seed: number;
  /** Cases of each operation and phase. */
  readonly examples: number;
}

export interface SchemaOutcome {
  readonly status: number | null;
  readonly output: string;
  /** Number of requests that it made. */
  readonly cases: number;
}

// What the description promises of every answer; that a request is refused which breaks it is tested elsewhere.
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
].join(',');

/** Calls operations with requests that schemathesis makes up, and holds each answer against the description. */
export async function runSchemathesis(t: Owner, run: SchemaRun): Promise<SchemaOutcome> {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'openapi.json');
  const configuration = path.join(directory, 'schemathesis.toml');
  writeFileSync(file, JSON.stringify(run.description));
  // 502 to 504 and 507 are refusals of a gateway in order, held against the description like any other.
  writeFileSync(
    configuration,
    '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", "502", "503", "504", "507"]\n',
  );
  const child = spawn(
    programOf('schemathesis'),
    [
      '-m',
      'schemathesis.cli',
      `--config-file=${configuration}`,
      '--no-color',
      'run',
      file,
      `--url=${run.url}`,
      `--include-path-regex=${run.paths}`,
      `--checks=${CHECKS}`,
      `--seed=${run.seed}`,
      `--max-examples=${run.examples}`,
      '--continue-on-failure',
      '--request-timeout=30',
      '--output-truncate=false',
      ...(run.headers ?? []).flatMap((header) => ['--header', header]),
    ],
    { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.after(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output, cases: Number(/(\d+) generated/.exec(output)?.[1] ?? 0) };
}

/** Opens a port of the loopback that leads to a local socket; returns its number. */
export async function forwardToSocket(t: Owner, socket: string): Promise<number> {
  const server = createServer((client) => {
    const target = connect(socket);
    client.pipe(target).pipe(client);
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  return (server.address() as AddressInfo).port;
}
