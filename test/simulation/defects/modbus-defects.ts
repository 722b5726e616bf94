import type { PlantedDefect } from './planted-defect.ts';

/** Defects of the Modbus driver. */
export const MODBUS_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'modbus-write-sent-again',
    file: 'drivers/modbus/write/write-attempt.ts',
    search: 'await exchange({ ...options, onSend: recordSent });',
    replace: `await exchange({ ...options, onSend: recordSent }).catch((error) =>
        error.code === 'MODBUS_NO_RESPONSE' ? exchange({ ...options, onSend: recordSent }) : Promise.reject(error));`,
    invariants: ['write-once'],
  },
  {
    name: 'modbus-acknowledged-write-sent-again',
    file: 'drivers/modbus/write/write-attempt.ts',
    search: 'return error.exceptionCode !== GATEWAY_TARGET_FAILED && !(isSent && isAccepted(error));',
    replace: 'return error.exceptionCode !== GATEWAY_TARGET_FAILED;',
    invariants: ['write-once'],
  },
  {
    name: 'modbus-silence-behind-gateway-is-refusal',
    file: 'drivers/modbus/write/write-attempt.ts',
    search: 'return error.exceptionCode !== GATEWAY_TARGET_FAILED && !(isSent && isAccepted(error));',
    replace: 'return !(isSent && isAccepted(error));',
    invariants: ['write-once'],
  },
  {
    name: 'modbus-unknown-outcome-is-not-sent',
    file: 'drivers/modbus/write/write-attempt.ts',
    search: "if (!isSent) return { kind: 'NOT_SENT', error };",
    replace: "return { kind: 'NOT_SENT', error };",
    invariants: ['write-once'],
  },
  {
    name: 'modbus-unknown-outcome-is-done',
    file: 'drivers/modbus/write/write-attempt.ts',
    search: 'if (word === undefined) throw error;',
    replace:
      "if (word === undefined) return { kind: 'WRITTEN', timestampMs: Date.now(), isUnconfirmed: false };",
    invariants: ['write-once'],
  },
  {
    name: 'modbus-refused-write-is-done',
    file: 'drivers/modbus/write/modbus-write.ts',
    search: "case 'REFUSED': {",
    replace: `case 'REFUSED': {
        const timestampMs = this.#options.clock.epochMs();
        if (againMs === undefined) {
          return { kind: 'ANSWERED', outcomes: this.#entries.map(() => ({ timestampMs })) };
        }`,
    invariants: ['write-once'],
  },
  {
    name: 'modbus-joined-write-in-reverse',
    file: 'drivers/modbus/write/write-plan.ts',
    search: "writes.map((write) => (write.kind === 'REGISTERS' ? write.registers : Buffer.alloc(0))),",
    replace:
      "writes.toReversed().map((write) => (write.kind === 'REGISTERS' ? write.registers : Buffer.alloc(0))),",
    invariants: ['write-once'],
  },
  {
    name: 'modbus-joined-write-across-gap',
    file: 'drivers/modbus/write/write-plan.ts',
    search: 'if (next.offset !== start.offset + quantity) return end;',
    replace: 'if (next.offset < start.offset + quantity) return end;',
    invariants: ['write-once'],
  },
  {
    name: 'modbus-no-late-answer-guard',
    file: 'drivers/modbus/link/late-response-guard.ts',
    search: 'if (remainingMs > 0) return remainingMs;',
    replace: '',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-transaction-id-not-compared',
    file: 'drivers/modbus/link/tcp-client.ts',
    search: 'const pending = this.#pending.get(transactionId);',
    replace: 'const [pending] = this.#pending.values();',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-unit-id-not-compared',
    file: 'drivers/modbus/link/tcp-client.ts',
    search: 'return this.#options.ignoresUnitId || received === requested;',
    replace: 'return this.#options.ignoresUnitId || received >= 0 || requested >= 0;',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-udp-transaction-id-not-compared',
    file: 'drivers/modbus/link/udp-client.ts',
    search: 'frame === undefined ? undefined : this.#pending.get(frame.transactionId);',
    replace: 'frame === undefined ? undefined : [...this.#pending.values()][0];',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-udp-transaction-ids-restart',
    file: 'drivers/modbus/link/transport.ts',
    search: 'ids,\n        ignoresUnitId: config.ignoreUnitIdInAnswers,\n      }),',
    replace: 'ids: new TransactionIds(),\n        ignoresUnitId: config.ignoreUnitIdInAnswers,\n      }),',
    invariants: ['true-value', 'write-once', 'recovery'],
  },
  {
    name: 'modbus-registration-not-compared',
    file: 'drivers/link/caller-identity.ts',
    search: 'packet.equals(received.subarray(0, packet.length));',
    replace: 'received.length > 0;',
    invariants: ['true-value', 'write-once', 'recovery'],
  },
  {
    name: 'modbus-connection-of-device-not-kept',
    file: 'drivers/link/expected-device.ts',
    search: 'if (kept !== undefined) return Promise.resolve(kept);',
    replace: '',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-crc-not-checked',
    file: 'drivers/modbus/pdu/serial-framing.ts',
    search: 'if (hasRightCrc(frame)) return { unitId, pdu: frame.subarray(1, -2), start };',
    replace: 'return { unitId, pdu: frame.subarray(1, -2), start };',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-lrc-not-checked',
    file: 'drivers/modbus/pdu/serial-framing.ts',
    search: 'if (bytes.at(-1) !== computeLrc(body)) return undefined;',
    replace: '',
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-bytes-before-request-kept',
    file: 'drivers/modbus/link/serial-client.ts',
    search: 'this.#received.clear();\n    this.#deadLink.recordRequest();',
    replace: 'this.#deadLink.recordRequest();',
    invariants: ['true-value', 'write-once', 'recovery'],
  },
  {
    name: 'modbus-silent-unit-never-suspended',
    file: 'drivers/modbus/health/unit-health.ts',
    search: "if (this.#state === 'SUSPENDED' || this.#timeouts < TIMEOUTS_UNTIL_SUSPENDED) return undefined;",
    replace: "if (this.#state === 'SUSPENDED' || this.#timeouts > 0) return undefined;",
    invariants: ['healthy-pace', 'recovery', 'newest-value', 'answer-shape'],
  },
  {
    name: 'modbus-suspended-unit-probed-once',
    file: 'drivers/modbus/health/probe-schedule.ts',
    search: 'this.start();\n  }\n\n  #timing',
    replace: '}\n\n  #timing',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-silent-address-never-suspended',
    file: 'drivers/modbus/health/silent-addresses.ts',
    search: 'if (wider.length === 0 && entry.timeouts < TIMEOUTS_UNTIL_SUSPENDED) return NO_CHANGES;',
    replace: 'if (wider.length === 0) return NO_CHANGES;',
    invariants: ['healthy-pace', 'recovery', 'newest-value'],
  },
  {
    name: 'modbus-silent-address-never-asked-again',
    file: 'drivers/modbus/health/silent-addresses.ts',
    search: '(entry) => entry.isSuspended && nowMs < entry.nextAttemptMs && contains(range, entry.range),',
    replace: '(entry) => entry.isSuspended && nowMs > 0 && contains(range, entry.range),',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-dead-connection-kept',
    file: 'drivers/modbus/link/tcp-client.ts',
    search: `if (isInOrder && !ignoresTransactionId) return;
    this.#isOpen = false;
    this.#closeLink();
  }`,
    replace: `if (isInOrder && !ignoresTransactionId) return;
  }`,
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-dead-line-kept',
    file: 'drivers/modbus/link/serial-client.ts',
    search: `if (!isExpendable && this.#deadLink.recordUnanswered(request.unitId, isProbe)) {
      this.#isOpen = false;
      this.#closeLink();
    }`,
    replace: '',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-word-order-of-64-bits',
    file: 'drivers/modbus/value/number-codec.ts',
    search: "const swapsWords = wordOrder === 'LITTLE_ENDIAN' && registerBytes > 2;",
    replace: "const swapsWords = wordOrder === 'LITTLE_ENDIAN' && registerBytes === 4;",
    invariants: ['true-value', 'write-once'],
  },
  {
    name: 'modbus-register-lost-in-gap',
    file: 'drivers/modbus/read/read-span.ts',
    search: 'for (const { index, decode, offset, stride } of planned.spans) {',
    replace: `let [end, skipped] = [planned.offset, 0];
  for (const { index, decode, offset: at, quantity, stride } of planned.spans) {
    if (at > end) skipped = 1;
    end = at + quantity;
    const offset = at - skipped;`,
    invariants: ['true-value'],
  },
  {
    name: 'modbus-echo-of-write-not-compared',
    file: 'drivers/modbus/pdu/response.ts',
    search: "return differs ? createReason(MODBUS_FAILURES, 'REQUEST_NOT_REPEATED', {}) : undefined;",
    replace: 'return differs ? undefined : undefined;',
    invariants: ['write-once'],
  },
  {
    name: 'modbus-silent-unit-checked-at-silent-address',
    file: 'drivers/modbus/pdu/probe-candidates.ts',
    search: '!silent.some((range) => overlaps(one, range));',
    replace: 'one !== undefined;',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'modbus-lost-attempt-counts-as-silence',
    file: 'drivers/modbus/health/silent-addresses.ts',
    search: 'if (entry.isSuspended && contains(range, entry.range)) entry.nextAttemptMs = nowMs;',
    replace: '',
    invariants: ['recovery', 'newest-value'],
  },
];
