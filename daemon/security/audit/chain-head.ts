import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

import { check, z } from '../../base/schema.ts';
import type { AuditKey } from './audit-key.ts';

/** Last signed end of the chain, stored outside the database. */
export interface HeadState {
  /** Id of the last signed event. */
  readonly lastId: number;
  readonly hash: string;
  /** Number of events recorded since then that the store did not accept. */
  readonly unstored: number;
}

/** Stores the end of the chain outside the database, to detect a restored older database or an empty one. */
export interface ChainHead {
  /** Returns the stored state; undefined if there is none, `INVALID` if this key has not signed it. */
  read(): HeadState | 'INVALID' | undefined;
  /** Stores a state. Disk errors are ignored, because the previous state remains valid. */
  write(state: HeadState): void;
}

const headSchema = z.strictObject({
  count: z.int(),
  lastId: z.int(),
  hash: z.string(),
  unstored: z.int(),
});
const slotSchema = z.strictObject({ signature: z.string(), head: z.string() });

// One sector; a state takes 250 bytes.
const SLOT_BYTES = 512;

interface Slot extends HeadState {
  readonly count: number;
}

/**
 * Creates a chain head in a file with two slots of fixed size, which are overwritten alternately: this works on a full disk, and one
 * slot is intact at any moment. The file is not synced, because an older head is also a valid lower bound of the chain.
 */
export function createChainHead(file: string, key: Pick<AuditKey, 'sign' | 'hasSigned'>): ChainHead {
  let count = 0;

  function findSlot(text: string): Slot | undefined {
    const { value } = check(slotSchema, findJson(text));
    if (value === undefined || !key.hasSigned(value.head, value.signature)) return undefined;
    return check(headSchema, findJson(value.head)).value;
  }

  return {
    read() {
      const text = findText(file);
      // A power loss can leave a file that was created but not written.
      if (text === undefined || text?.trim() === '') return undefined;
      const slots = (text ?? '').split('\n').flatMap((line) => findSlot(line) ?? []);
      const last = slots.sort((left, right) => right.count - left.count)[0];
      if (last === undefined) return 'INVALID';
      const { count: own, ...state } = last;
      count = Math.max(count, own);
      return state;
    },
    write(state) {
      count += 1;
      const head = JSON.stringify({ count, ...state });
      const line = JSON.stringify({ signature: key.sign(head), head });
      try {
        const descriptor = openFile(file);
        try {
          writeSync(descriptor, `${line.padEnd(SLOT_BYTES - 1)}\n`, (count % 2) * SLOT_BYTES);
        } finally {
          closeSync(descriptor);
        }
      } catch {
        // The previous state remains valid.
      }
    },
  };
}

/** Opens the file; allocates both slots if it is new. */
function openFile(file: string): number {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (fstatSync(descriptor).size >= 2 * SLOT_BYTES) return descriptor;
  writeSync(descriptor, `${' '.repeat(SLOT_BYTES - 1)}\n`.repeat(2), 0);
  fsyncSync(descriptor);
  return descriptor;
}

/** Returns the content of the file; undefined if it does not exist, null if it cannot be read. */
function findText(file: string): string | null | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'ENOENT' ? undefined : null;
  }
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
