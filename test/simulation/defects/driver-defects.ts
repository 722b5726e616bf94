import type { PlantedDefect } from './planted-defect.ts';

/** Defects of the drivers for serial instruments and OPC UA. */
export const DRIVER_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'serial-no-silence-after-missing-answer',
    file: 'drivers/serial/serial-line.ts',
    search: 'if (this.#isAnswerOutstanding) await this.#awaitSilence(signal);',
    replace: '',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'serial-bytes-before-request-kept',
    file: 'drivers/serial/incoming-frames.ts',
    search: 'this.#isBeginningUnknown = false;\n    this.#reader.reset();',
    replace: 'this.#isBeginningUnknown = false;',
    invariants: ['true-value', 'recovery'],
  },
  {
    name: 'serial-frame-cut-by-a-request',
    file: 'drivers/serial/incoming-frames.ts',
    search: 'while (this.#isFrameComing()) {',
    replace: 'while (this.#frameCount < before) {',
    invariants: ['true-value', 'recovery'],
  },
  {
    name: 'serial-any-frame-is-the-answer',
    file: 'drivers/serial/serial-line.ts',
    search:
      'const frame = await this.#wait({ check, isRefusal, endsOnDamage, silence, isResponse: true, signal });',
    replace: 'const frame = await this.#wait({ check: () => undefined, isResponse: true, signal });',
    invariants: ['true-value', 'write-once', 'recovery'],
  },
  {
    name: 'serial-dead-line-kept',
    file: 'drivers/serial/dead-line-detector.ts',
    search: 'return this.#silentWaits >= WAITS_UNTIL_SUSPECT;',
    replace: 'return this.#silentWaits > WAITS_UNTIL_SUSPECT ** 40;',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'serial-write-sent-again',
    file: 'drivers/serial/serial-write.ts',
    search: 'await send(attempt);',
    replace: 'await send(attempt).catch(() => send(attempt));',
    invariants: ['write-once'],
  },
  {
    name: 'opcua-results-in-another-order',
    file: 'drivers/opcua/opcua-read.ts',
    search: 'const dataValue = results[position];',
    replace: 'const dataValue = results[results.length - 1 - position];',
    invariants: ['true-value'],
  },
  {
    name: 'opcua-subscription-not-made-again',
    file: 'daemon/plant/asset/read/subscribing-source.ts',
    search: 'if (wasActive) failures = 1;',
    replace: 'if (wasActive) return;',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-lost-notification-unnoticed',
    file: 'drivers/opcua/subscribe/message-inbox.ts',
    search: 'if (!isKnown && this.#order.countMissing(sequenceNumber) !== 0) return false;',
    replace: '',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-silent-subscription-kept',
    file: 'drivers/opcua/subscribe/server-subscription.ts',
    search:
      "    this.#lose({ kind: 'END', error: new ConnectionError({ code: 'OPCUA_SUBSCRIPTION_SILENT', detail }) });",
    replace: '',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-refused-item-not-asked-again',
    file: 'drivers/opcua/subscribe/subscription-member.ts',
    search: 'this.#planRetry(server);\n    return refused;',
    replace: 'return refused;',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-publish-requests-run-out',
    file: 'drivers/opcua/subscribe/publish-loop.ts',
    search: 'this.#outstanding.delete(outstanding);\n      this.#supply();',
    replace: 'this.#outstanding.delete(outstanding);',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-queue-keeps-the-oldest',
    file: 'drivers/opcua/subscribe/monitored-items.ts',
    search: 'discardOldest: true',
    replace: 'discardOldest: false',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-queued-values-dropped',
    file: 'daemon/plant/asset/write/record-change.ts',
    search: 'if (record.isQueued !== true && kept.at(-1)?.isQueued !== true) kept.pop();',
    replace: 'kept.pop();',
    invariants: ['newest-value'],
  },
  {
    name: 'opcua-unknown-outcome-is-failure',
    file: 'drivers/opcua/write/opcua-write.ts',
    search: 'if (!isNothingDone(error)) throw error;',
    replace: `if (!isNothingDone(error)) {
      return { kind: 'NOTHING_DONE', outcome: 'REFUSED', failure: toFailure(error, signal) };
    }`,
    invariants: ['write-once'],
  },
  {
    name: 'opcua-write-sent-again',
    file: 'drivers/opcua/write/opcua-write.ts',
    search: ': await writeNodes(batch, sending);',
    replace: ': await writeNodes(batch, sending).catch(() => writeNodes(batch, sending));',
    invariants: ['write-once'],
  },
  {
    name: 'opcua-bad-status-of-write-is-done',
    file: 'drivers/opcua/write/node-write.ts',
    search: "if (severityOf(status.value) === 'GOOD') return undefined;",
    replace: "if (severityOf(status.value) !== 'UNCERTAIN') return undefined;",
    invariants: ['write-once'],
  },
  {
    name: 'opcua-element-written-as-whole-array',
    file: 'drivers/opcua/write/node-write.ts',
    search: '...toIndexRange(channel.address.indexRange),',
    replace: '',
    invariants: ['write-once', 'true-value'],
  },
  {
    name: 'opcua-element-after-the-one-asked-for',
    file: 'drivers/opcua/opcua-read.ts',
    search: 'ReadValueId({ nodeId, attributeId, ...toIndexRange(indexRange) });',
    replace:
      'ReadValueId({ nodeId, attributeId, ...toIndexRange(indexRange?.replaceAll(/\\d/g, (digit) => String((Number(digit) + 1) % 4))) });',
    invariants: ['true-value'],
  },
];
