import { createServer } from 'node:http';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { startGateway } from './gateway.ts';
import type { RunningGateway } from './gateway.ts';
import type { Owner } from './temporary-directory.ts';
import { findProgram } from './programs.ts';

const CLIENT = path.resolve(import.meta.dirname, 'documented-service-client.ts');

/** Cache of compiled code, as for the programs of the package: pages start many of them. */
export const COMPILE_CACHE = path.resolve(import.meta.dirname, '../../build/test/compile-cache');

/** A gateway that commands start, stop and reload as a service of the machine. */
export interface DocumentedService {
  /** Folder for the front of `PATH`, with `penstock`, `penstockd`, `systemctl` and `journalctl`. */
  readonly programs: string;
  /** The gateway that was started last. */
  gateway(): RunningGateway;
}

/**
 * Starts a gateway on the `penstock.yaml` of a directory, and lays out beside it the programs by which commands reach it.
 * Both end with the test.
 */
export async function startDocumentedService(t: Owner, directory: string): Promise<DocumentedService> {
  const start = (): Promise<RunningGateway> =>
    startGateway(t, { directory, isConfigured: true, environment: { NODE_COMPILE_CACHE: COMPILE_CACHE } });
  let gateway = await start();
  const journal: string[] = [];
  const verbs: Readonly<Record<string, () => Promise<string>>> = {
    async start() {
      if (gateway.process.exitCode !== null) gateway = await start();
      return '';
    },
    async stop() {
      await gateway.stop();
      journal.push(...gateway.lines.map((line) => JSON.stringify(line)));
      return '';
    },
    async restart() {
      await verbs['stop']?.();
      return (await verbs['start']?.()) ?? '';
    },
    async reload() {
      const seen = gateway.lines.length;
      gateway.process.kill('SIGHUP');
      await Promise.race([gateway.line('reloaded', seen), gateway.line('reload.failed', seen)]);
      return '';
    },
    'reset-failed': async () => '',
    async journal() {
      const present = gateway.process.exitCode === null ? gateway.lines : [];
      return [...journal, ...present.map((line) => JSON.stringify(line))].map((line) => `${line}\n`).join('');
    },
  };
  const programs = path.join(path.dirname(directory), 'programs');
  mkdirSync(programs);
  const socket = path.join(programs, 'service.sock');
  const server = createServer((request, response) => {
    const verb = verbs[request.url?.slice(1) ?? ''];
    if (verb === undefined) response.writeHead(404).end();
    else
      verb().then(
        (text) => response.end(text),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  server.listen(socket);
  await once(server, 'listening');
  t.after(() => void server.close());
  layOutPrograms(programs, directory, socket);
  return { programs, gateway: () => gateway };
}

function layOutPrograms(folder: string, directory: string, socket: string): void {
  const ask = `${process.execPath} ${CLIENT} ${socket}`;
  const configuration = `${directory}/penstock.yaml`;
  const programs = {
    penstock: `verb="$1"
[ $# -eq 0 ] || shift
case "$verb" in
certificate) command="$1"; shift; set -- "$command" --authority ${directory}/ca "$@" ;;
backup | doctor | restore | setup) set -- --config ${configuration} "$@" ;;
esac
exec ${process.execPath} ${findProgram('daemon/cli/main')} "$verb" "$@"`,
    penstockd: `exec ${process.execPath} ${findProgram('daemon/main')} --config ${configuration} "$@"`,
    systemctl: `exec ${ask} "$1"`,
    journalctl: `exec ${ask} journal`,
  };
  for (const [name, script] of Object.entries(programs)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
}
