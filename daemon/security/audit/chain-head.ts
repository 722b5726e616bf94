import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

import { check, z } from '../../base/schema.ts';
import type { AuditKey } from './audit-key.ts';

/** The last known end of the chain, as the gateway vouches for it beside the store. */
export interface HeadState {
  /** Id of the last event that was signed. */
  readonly lastId: number;
  readonly hash: string;
  /** Events that were recorded since and that the store could not take. */
  readonly unstored: number;
}

/** Keeps the end of the chain outside the store, so that a store of earlier, or an empty one, is told from the present one. */
export interface ChainHead {
  /** Returns what was kept; undefined when nothing was, `INVALID` when it is not of this key. */
  read(): HeadState | 'INVALID' | undefined;
  /** Keeps a state; without effect while the disk refuses it, as the state of before holds likewise. */
  write(state: HeadState): void;
}

const headSchema = z.strictObject({
  count: z.int(),
  lastId: z.int(),
  hash: z.string(),
  unstored: z.int(),
});
const slotSchema = z.strictObject({ signature: z.string(), head: z.string() });

// A sector; a state takes 250 bytes.
const SLOT_BYTES = 512;

interface Slot extends HeadState {
  readonly count: number;
}

/**
 * Creates the head that is kept in a file. The file has two places of one size, which are overwritten in turn: a full disk has room for that,
 * and one of them is whole at any moment. It is not synced: what it says of the end of the chain holds for every later one too.
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
      // Also of a file that was made, and not written before the power went.
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
        // The state of before holds likewise.
      }
    },
  };
}

/** Opens the file, and makes it with room for both places the first time. */
function openFile(file: string): number {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (fstatSync(descriptor).size >= 2 * SLOT_BYTES) return descriptor;
  writeSync(descriptor, `${' '.repeat(SLOT_BYTES - 1)}\n`.repeat(2), 0);
  fsyncSync(descriptor);
  return descriptor;
}

/** Returns the content of the file; undefined when there is none, null when it cannot be read. */
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
