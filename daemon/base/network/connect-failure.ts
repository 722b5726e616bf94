import { messageOf } from '../errors.ts';
import { createReason, describeReasons, quoteText } from '../fault-reason.ts';
import type { FaultReason } from '../fault-reason.ts';
import { NETWORK_FAILURES } from './failure-sentences.ts';

// Their messages say more than a sentence could: our own of the name lookup, and the names in the certificate.
const WITH_OWN_MESSAGE: ReadonlySet<string> = new Set(['ADDRESS_REFUSED', 'ERR_TLS_CERT_ALTNAME_INVALID']);

/**
 * Describes the reason that a connection failed, and the remedy; followed by the system code.
 *
 * @param cause as a socket reports it
 * @param host name or address of the other side
 */
export function describeConnectFailure(cause: unknown, host: string): string {
  return describeReasons(explainConnectFailure(cause, host));
}

/** Returns what `describeConnectFailure` says as sentences with codes. */
export function explainConnectFailure(cause: unknown, host: string): readonly FaultReason[] {
  // A name with several addresses fails once for each.
  if (cause instanceof AggregateError) {
    const reasons = cause.errors.flatMap((each) => explainConnectFailure(each, host));
    return [...new Map(reasons.map((reason) => [reason.message, reason])).values()];
  }
  const { code } = cause as { readonly code?: unknown };
  if (typeof code !== 'string') return [quoteText(messageOf(cause))];
  const sentence = `NETWORK_${code}`;
  if (isCode(sentence)) return [createReason(NETWORK_FAILURES, sentence, { host })];
  return [quoteText(WITH_OWN_MESSAGE.has(code) ? `${messageOf(cause)} (${code})` : code)];
}

function isCode(text: string): text is keyof typeof NETWORK_FAILURES {
  return Object.hasOwn(NETWORK_FAILURES, text);
}
