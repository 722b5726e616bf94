import type { PlantedDefect } from './planted-defect.ts';

/** Defects by which one thing takes what others need, or keeps what nobody needs any more. */
export const PACE_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'pace-units-take-no-turns',
    file: 'daemon/base/sharing/semaphore.ts',
    search: 'if (this.#freePermits === 0) await this.#wait(signal, key);',
    replace: 'if (this.#freePermits === 0) await this.#wait(signal, key === null ? key : undefined);',
    invariants: ['healthy-pace'],
  },
  {
    name: 'pace-silent-unit-probed-without-pause',
    file: 'drivers/modbus/health/unit-health.ts',
    search: 'return Math.max(PROBE_PAUSE_MS, PROBE_PAUSE_FACTOR * timeoutMs, costlyMs);',
    replace: 'return Math.min(PROBE_PAUSE_MS, PROBE_PAUSE_FACTOR * timeoutMs + costlyMs) / 8;',
    invariants: ['healthy-pace'],
  },
  {
    name: 'pace-silent-address-asked-without-pause',
    file: 'drivers/modbus/health/silent-addresses.ts',
    search: 'return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** attempts) * (0.75 + random() / 2);',
    replace: 'return Math.min(longestMs, attempts) * (0.75 + random() / 2);',
    invariants: ['healthy-pace'],
  },
  {
    name: 'pace-line-waits-for-late-answer-of-any-unit',
    file: 'drivers/modbus/link/late-response-guard.ts',
    search: 'const unit = this.#units.get(unitId);',
    replace: 'const unit = this.#units.get(unitId) ?? [...this.#units.values()].at(-1);',
    invariants: ['healthy-pace', 'recovery'],
  },
  {
    name: 'pace-serial-lines-share-one-queue',
    file: 'drivers/serial/serial-line.ts',
    search: "readonly #requests = createRequestQueue('SERIAL_QUEUE_FULL');",
    replace: `static queue: ReturnType<typeof createRequestQueue> | undefined;
  readonly #requests = (SerialLine.queue ??= createRequestQueue('SERIAL_QUEUE_FULL'));`,
    invariants: ['healthy-pace', 'recovery'],
  },
  {
    name: 'pace-opcua-requests-of-all-servers-counted-together',
    file: 'drivers/opcua/subscribe/publish-loop.ts',
    search: 'readonly #outstanding = new Set<OutstandingRequest>();',
    replace: `static readonly outstanding = new Set<OutstandingRequest>();
  readonly #outstanding = PublishLoop.outstanding;`,
    invariants: ['healthy-pace'],
  },
  {
    name: 'rest-poll-goes-on-without-listeners',
    file: 'daemon/plant/asset/read/polling-source.ts',
    search: 'this.#isStopped = true;\n    this.#cancelNext?.();',
    replace: 'this.#isRunning = this.#isRunning && !this.#isStopped;',
    invariants: ['nothing-left', 'no-defect'],
  },
  {
    name: 'rest-subscription-not-deleted',
    file: 'drivers/opcua/subscribe/shared-subscription.ts',
    search: 'this.#awaitDeletion(this.#server?.close());\n  }',
    replace: '}',
    invariants: ['nothing-left', 'newest-value'],
  },
];
