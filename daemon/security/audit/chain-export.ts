import { check, z } from '../../base/schema.ts';
import type { ChainedEvent, RecordedBreak } from './audit-chain.ts';
import type { AuditChain } from './chain-verifier.ts';

/** A chain with the public key of its checkpoints, PEM. */
export interface ExportedChain extends AuditChain {
  readonly publicKey: string;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.union([
  z.object({ hash: hash.optional(), event: z.object({ id: z.int() }) }),
  z.object({ break: z.object({ firstId: z.int(), time: z.int(), fault: z.string() }) }),
  z.object({ gap: z.object({ firstId: z.int(), lastId: z.int(), before: hash, after: hash }) }),
  z.object({ signature: z.string(), checkpoint: z.object({ lastId: z.int() }) }),
  z.object({ publicKey: z.string() }),
]);

// The hashed or signed text is the last member of its line and ends before the last brace.
const EVENT = ',"event":';
const FIRST_EVENT = '{"event":';
const CHECKPOINT = ',"checkpoint":';

/**
 * Formats a chain as JSON Lines: events, gaps, breaks, checkpoints, public key. The texts covered by hashes and signatures are
 * preserved byte for byte as the last member of their line.
 */
export function* formatChain(chain: ExportedChain): Generator<string> {
  const { events, gaps, breaks = [], checkpoints, publicKey } = chain;
  for (const event of events) yield formatEvent(event);
  for (const gap of gaps) yield `${JSON.stringify({ gap })}\n`;
  for (const { firstId, timeMs: time, fault } of breaks) {
    yield `${JSON.stringify({ break: { firstId, time, fault } })}\n`;
  }
  for (const { text, signature } of checkpoints) {
    yield `{"signature":${JSON.stringify(signature)}${CHECKPOINT}${text}}\n`;
  }
  yield `${JSON.stringify({ publicKey })}\n`;
}

function formatEvent({ text, hash: own }: ChainedEvent): string {
  return own === undefined ? `${FIRST_EVENT}${text}}\n` : `{"hash":"${own}"${EVENT}${text}}\n`;
}

/**
 * Parses the output of {@link formatChain}.
 *
 * @returns the chain, or the number of the first invalid line
 */
export function parseChain(content: string): ExportedChain | { readonly badLine: number } {
  const events: ChainedEvent[] = [];
  const gaps: AuditChain['gaps'][number][] = [];
  const breaks: RecordedBreak[] = [];
  const checkpoints: AuditChain['checkpoints'][number][] = [];
  let publicKey: string | undefined;
  const lines = content.split('\n').map((text) => text.trimEnd());
  for (const [index, text] of lines.entries()) {
    if (text === '') continue;
    const { value } = check(line, findJson(text));
    if (value === undefined) return { badLine: index + 1 };
    if ('event' in value) {
      const own = value.hash === undefined ? {} : { hash: value.hash };
      events.push({
        id: value.event.id,
        text: textAfter(text, own.hash === undefined ? FIRST_EVENT : EVENT),
        ...own,
      });
    } else if ('gap' in value) gaps.push(value.gap);
    else if ('break' in value) {
      const { firstId, time: timeMs, fault } = value.break;
      breaks.push({ firstId, timeMs, fault });
    } else if ('checkpoint' in value) {
      checkpoints.push({ text: textAfter(text, CHECKPOINT), signature: value.signature });
    } else ({ publicKey } = value);
  }
  if (publicKey === undefined) return { badLine: lines.length };
  return { events, gaps, ...(breaks.length === 0 ? {} : { breaks }), checkpoints, publicKey };
}

/** Returns the text after the first mark; the text before it cannot contain the mark. */
function textAfter(text: string, mark: string): string {
  return text.slice(text.indexOf(mark) + mark.length, -1);
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
