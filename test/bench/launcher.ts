import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What the launcher of the package starts the daemon with. */
export interface Launch {
  /** Options of the runtime. */
  readonly options: readonly string[];
  /** Variables that it sets. */
  readonly variables: Readonly<Record<string, string>>;
}

// Stands where the runtime does, and shows what it is given.
const RUNTIME = '#!/bin/sh\nprintf "%s\\n" "$@"\nenv\n';
const VARIABLE = /^(\w+)=(.*)$/;

/**
 * Asks the launcher what it would start the daemon with on this machine.
 *
 * @param root folder of the sources
 */
export function readLaunch(root: string): Launch {
  const folder = mkdtempSync(path.join(tmpdir(), 'penstock-launcher-'));
  try {
    const [launcher, runtime] = [path.join(folder, 'bin/penstockd'), path.join(folder, 'bin/node')];
    mkdirSync(path.dirname(launcher));
    copyFileSync(path.join(root, 'systemd/penstockd'), launcher);
    writeFileSync(runtime, RUNTIME);
    for (const file of [launcher, runtime]) chmodSync(file, 0o755);
    const lines = execFileSync(launcher, { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' }).split('\n');
    const entries = lines.flatMap((line) => {
      const [, name = '', value = ''] = VARIABLE.exec(line) ?? [];
      return name.startsWith('MALLOC_') ? [[name, value] as const] : [];
    });
    return {
      options: lines.filter((line) => line.startsWith('--')),
      variables: Object.fromEntries(entries),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
