import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** What a line with RS-485 mode can do; everything unless given. */
export interface Rs485Abilities {
  /** The flags that stay of those asked for. */
  readonly flags?: number;
  readonly longestDelayMs?: number;
  /** Number of the error with which it refuses. */
  readonly error?: number;
}

/** A perl for which every line has the RS-485 mode. */
export interface Rs485Perl {
  readonly perl: string;
  /** What the line was asked for, in the words of the kernel's header. */
  readAsked(): string;
}

/** Builds a perl that stands between the gateway and a line, because no pseudo terminal has the mode. */
export function createRs485Perl(t: Owner, abilities: Rs485Abilities = {}): Rs485Perl {
  const directory = createTemporaryDirectory(t);
  const [perl, library, log] = ['perl', 'line.so', 'log'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  const source = path.join(import.meta.dirname, 'rs485-line.c');
  execFileSync(programOf('cc'), ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], {
    stdio: 'pipe',
  });
  const { flags, longestDelayMs, error } = abilities;
  const settings = [
    `LD_PRELOAD=${library}`,
    `RS485_LOG=${log}`,
    ...(flags === undefined ? [] : [`RS485_FLAGS=${flags}`]),
    ...(longestDelayMs === undefined ? [] : [`RS485_DELAY=${longestDelayMs}`]),
    ...(error === undefined ? [] : [`RS485_ERROR=${error}`]),
  ];
  writeFileSync(perl, `#!/bin/sh\n${settings.join(' ')} exec /usr/bin/perl "$@"\n`);
  chmodSync(perl, 0o755);
  return { perl, readAsked: () => readFileSync(log, 'utf8').trim() };
}
