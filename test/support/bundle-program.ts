import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { systemClock } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import type { BundleHost, BundleSession, HostContext } from '../../daemon/software/bundle/bundle-host.ts';
import { DEFAULT_LIMITS } from '../../daemon/software/bundle/bundle-limits.ts';
import type { BundleLimits } from '../../daemon/software/bundle/bundle-limits.ts';
import { BundleSupervisor } from '../../daemon/software/bundle/bundle-supervisor.ts';
import type { Bundle } from '../../daemon/software/bundle/bundle.ts';
import type { BundleLauncher } from '../../daemon/software/bundle/process/bundle-launcher.ts';
import { ChildLauncher } from '../../daemon/software/bundle/process/child-launcher.ts';
import { probeLaunchFeatures } from '../../daemon/software/bundle/process/launch-command.ts';
import type { BundleStatus } from '../../daemon/software/bundle/supervised-bundle.ts';
import { createMemoryLogger } from './memory-logger.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

/** Limits that a test can wait for. */
export const SHORT_LIMITS: BundleLimits = {
  ...DEFAULT_LIMITS,
  probationMs: 50,
  heartbeatIntervalMs: 200,
  // On a busy machine a process of the lowest priority waits, and one that runs out of memory does little else.
  heartbeatDeadlineMs: 60_000,
  memoryCheckIntervalMs: 200,
  deactivationMs: 1000,
  terminationMs: 500,
};

export interface BundleProgram {
  /** Main module, an ES module. */
  readonly source: string;
  readonly permissions?: string | undefined;
  readonly identities?: string | undefined;
  readonly name?: string | undefined;
  /** JSON Schema of its settings. */
  readonly settings?: Bundle['settings'];
  readonly memoryMib?: number | undefined;
}

/** Puts a bundle on disk as an installation does. */
export function createBundle(
  owner: Owner,
  { source, permissions = '', identities, name = 'org.example.test', settings, memoryMib }: BundleProgram,
): Bundle {
  const root = createTemporaryDirectory(owner);
  const directory = path.join(root, 'content');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'main.mjs'), source);
  return {
    id: { name, version: '1.0.0' },
    directory,
    dataDirectory: path.join(root, 'data'),
    main: 'main.mjs',
    permissions,
    identities,
    settings,
    memoryMib,
  };
}

/** Keeps the messages and requests of bundles, and always answers `undefined`. */
export class RecordingHost implements BundleHost {
  readonly calls: (readonly [method: string, params: unknown])[] = [];
  readonly notes: (readonly [method: string, params: unknown])[] = [];
  readonly sessions: BundleSession[] = [];
  readonly ended: BundleSession[] = [];

  admit(): undefined {}

  contextOf(): HostContext {
    return { gateway: { name: 'gateway.test' }, settings: {} };
  }

  reportOf(): object {
    return {};
  }

  onCall(session: BundleSession, method: string, params: unknown): Promise<unknown> {
    if (!this.sessions.includes(session)) this.sessions.push(session);
    this.calls.push([method, params]);
    return Promise.resolve();
  }

  onNotification(_session: BundleSession, method: string, params: unknown): void {
    this.notes.push([method, params]);
  }

  onStop(): void {}

  onEnd(session: BundleSession): void {
    this.ended.push(session);
  }

  removeData(): Promise<void> {
    return Promise.resolve();
  }
}

export interface SupervisorOptions {
  readonly host?: BundleHost | undefined;
  readonly limits?: Partial<BundleLimits> | undefined;
  readonly clock?: Clock | undefined;
  readonly launcher?: BundleLauncher;
}

/** A supervisor of real processes with everything that it reports; its bundles end with the test. */
export function createSupervisor(
  owner: Owner,
  { host = new RecordingHost(), limits = {}, launcher, clock = systemClock }: SupervisorOptions = {},
) {
  const logger = createMemoryLogger();
  const states: BundleStatus[] = [];
  const waiting = new Set<() => void>();
  const supervisor = new BundleSupervisor({
    host,
    launcher:
      launcher ??
      new ChildLauncher({
        heapMib: limits.heapMib ?? DEFAULT_LIMITS.heapMib,
        probe: probeLaunchFeatures,
        logger,
        clock,
      }),
    limits: { ...SHORT_LIMITS, ...limits },
    onStateChange(status) {
      states.push(status);
      for (const look of waiting) look();
    },
    logger,
    clock,
  });
  owner.after(() => supervisor.close());
  /** Waits for a status that was or will be reported, after the first `skip` ones. */
  function awaitStatus(isWanted: (status: BundleStatus) => boolean, skip = 0): Promise<BundleStatus> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = states.slice(skip).find(isWanted);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  }
  return { supervisor, states, awaitStatus, lines: logger.lines };
}
