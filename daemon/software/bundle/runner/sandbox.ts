import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import traceEvents from 'node:trace_events';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

import { restrictHandles } from './restrict-handles.ts';
import { restrictLoader } from './restrict-loader.ts';
import { createAccessError, refuse, replace } from './replace.ts';
import { isReadable } from './readable-path.ts';

interface SandboxOptions {
  readonly isNetworkGranted: boolean;
  readonly areProgramsGranted: boolean;
}

// Signals, libraries, user ids, and functions that read or reveal files without regard to the permission model.
const BLOCKED_IN_PROCESS = [
  '_debugEnd',
  '_debugProcess',
  '_kill',
  '_linkedBinding',
  'binding',
  'chdir',
  'dlopen',
  'initgroups',
  'kill',
  'loadEnvFile',
  'setegid',
  'seteuid',
  'setgid',
  'setgroups',
  'setuid',
] as const;

/**
 * Removes features that Node.js allows despite the permission model: signals to other processes, reports, engine flags, the
 * environment that libraries read, information on files elsewhere, and the network unless it is granted. Must run before any code
 * of the bundle.
 *
 * @throws {TypeError} if a feature is not in its expected location; no code of the bundle may run then
 */
export function enterSandbox(options: SandboxOptions): void {
  for (const name of BLOCKED_IN_PROCESS) replace(process, name, refuse(`process.${name}`));
  // A report is written to any file, with text of the bundle; a crash writes one as well.
  replace(process, 'report', undefined);
  // OpenSSL, ICU and the resolver read files that variables name. In an ordinary object they remain JavaScript's.
  // What the allocator was started with is no business of the bundle.
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('MALLOC_'));
  replace(process, 'env', Object.fromEntries(environment));
  restrictPriorities();
  for (const name of ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit']) {
    replace(v8, name, refuse(`v8.${name}`));
  }
  // It writes into the working directory.
  replace(traceEvents, 'createTracing', refuse('trace_events.createTracing'));
  restrictRealpath();
  restrictLoader();
  restrictHandles(options);
  syncBuiltinESMExports();
}

function restrictPriorities(): void {
  const { getPriority } = os;
  replace(os, 'setPriority', refuse('os.setPriority'));
  replace(os, 'getPriority', (pid: unknown = 0) => {
    if (pid !== 0 && pid !== process.pid)
      throw createAccessError('priorities of others are closed to bundles');
    return getPriority(0);
  });
}

// It reads each part of a path without regard to the permission model.
function restrictRealpath(): void {
  const { realpathSync } = fs;
  const toPath = fileURLToPath;
  const asText = String;
  const isView = ArrayBuffer.isView.bind(ArrayBuffer);
  // Converted once: an object of the bundle may return a different path each time.
  const toText = (given: unknown): string => {
    if (typeof given === 'string') return given;
    return isView(given) ? asText(given) : toPath(given as URL);
  };
  const checked = (given: unknown, options?: fs.EncodingOption): string => {
    const file = toText(given);
    if (!isReadable(file)) throw createAccessError('fs.realpathSync is closed outside of the bundle');
    return realpathSync(file, options);
  };
  replace(fs, 'realpathSync', Object.assign(checked, { native: realpathSync.native }));
}
