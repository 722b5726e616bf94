import { effect, signal } from '@preact/signals';

import type { DocumentFault, FaultReason } from '../../interface/failure.ts';
import type { Finding, FindingCause } from '../../interface/finding.ts';
import type { RestFailure } from '../api/rest-failure.ts';
import { fillFault, fillFinding, statusOf } from '../text/gateway/fill-finding.ts';
import { language } from '../text/language.ts';

type Sentences = Readonly<Record<string, string>>;

const NONE: Sentences = {};
const FIRST_RETRY_MS = 1000;
const MAXIMUM_RETRY_MS = 60_000;
const german = signal({
  messages: NONE,
  causes: NONE,
  findings: NONE,
  statuses: NONE,
  gatewayCauses: NONE,
  faults: NONE,
  kinds: NONE,
  refusals: NONE,
});
const english = signal(NONE);
let isEnglishRequested = false;

// Most pages show no failure, and the messages of the gateway are English.
effect(() => {
  if (language.value === 'en') return;
  loadPatiently(
    () => import('../text/gateway/german.ts'),
    (tables) => {
      german.value = tables;
    },
  );
});

/** Loads a file; after a failure, again with growing pauses: the gateway may just be restarting. */
function loadPatiently<Code>(
  load: () => Promise<Code>,
  take: (code: Code) => void,
  pauseMs = FIRST_RETRY_MS,
): void {
  load().then(take, () => {
    setTimeout(() => loadPatiently(load, take, Math.min(2 * pauseMs, MAXIMUM_RETRY_MS)), pauseMs);
  });
}

/**
 * Returns the message of a failure in the current language, by its code.
 *
 * @returns the gateway's own message if there is no translation
 */
export function translateFailure({
  code = '',
  message,
  reasons = [],
}: Pick<RestFailure, 'code' | 'message'> & Partial<Pick<RestFailure, 'reasons'>>): string {
  if (language.value === 'en') return message;
  return translateReasons(reasons) ?? german.value.messages[code] ?? explainCause(code, message);
}

/**
 * Returns the cause in a record in the current language, by its code, without what only the gateway's message says. The status of
 * an OPC UA server keeps its official name.
 *
 * @returns the gateway's own message if there is no translation
 */
export function translateCause(code: string | undefined, message: string): string {
  const status = statusOf(code);
  const words = findCause(code);
  if (words === undefined) return message;
  return status === undefined ? words : `${words} (${status})`;
}

/**
 * Returns the meaning of a code in the current language, where the gateway sends no message with it.
 *
 * @returns the code if it has no words
 */
export function nameCause(code: string): string {
  if (language.value !== 'en') return german.value.refusals[code] ?? translateCause(code, code);
  loadMeanings();
  return english.value[code] ?? statusOf(code) ?? code;
}

/** Requests the meanings of codes if the current language needs them: before the first one is kept as text. */
export function loadMeanings(): void {
  if (language.value !== 'en' || isEnglishRequested) return;
  isEnglishRequested = true;
  loadPatiently(
    () => import('../text/gateway/english-meanings.json'),
    ({ default: meanings }) => {
      english.value = meanings;
    },
  );
}

/**
 * Returns the cause in a record in the current language, followed by the gateway's own message.
 *
 * @param reasons sentences of the message, if all have a code: their translation replaces both
 */
export function explainCause(
  code: string | undefined,
  message: string,
  reasons: readonly FaultReason[] = [],
): string {
  const translated = translateReasons(reasons);
  if (translated !== undefined) return translated;
  const words = findCause(code);
  return words === undefined ? message : message === '' ? words : `${words} (${message})`;
}

/**
 * Returns a sentence of the gateway in the current language, with its values.
 *
 * @param message sentence of a gateway that sends no finding with it
 */
export function translateFinding(finding: Finding | undefined, message: string): string {
  const sentence = finding === undefined ? undefined : german.value.findings[finding.code];
  if (language.value === 'en' || finding === undefined || sentence === undefined) return message;
  return fillFinding(sentence, finding, explain);
}

/** An English text of the gateway; its sentences by code, if all have one. */
interface CodedText {
  readonly message: string;
  readonly reasons?: readonly FaultReason[] | undefined;
}

/**
 * Returns the message of an error in a document, or the text of a scan, in the current language.
 *
 * @returns the gateway's own message if one of its sentences has no translation
 */
export function translateFault({ message, reasons = [] }: CodedText): string {
  return translateReasons(reasons) ?? message;
}

/** Returns the name of a request, or the meaning of a frame, whose parts are joined by commas, in the current language. */
export function translateParts({ message, reasons = [] }: CodedText): string {
  return translateReasons(reasons, ',') ?? message;
}

/** Returns the place of an error: the name of its item instead of the item's number, if the gateway names it. */
export function placeOf({ path, item }: Pick<DocumentFault, 'path' | 'item'>): string {
  if (item === undefined) return path;
  const key = path.replace(/^[^[]*\[\d+\]\.?/, '');
  return key === '' ? item : `${item}: ${key}`;
}

/** @returns undefined in English, and if one of the sentences has no translation */
function translateReasons(reasons: readonly FaultReason[], mark: ';' | ',' = ';'): string | undefined {
  if (language.value === 'en' || reasons.length === 0) return undefined;
  const { faults, kinds } = german.value;
  let words = '';
  for (const reason of reasons) {
    const sentence = faults[reason.code];
    const { message } = reason.parameters;
    if (sentence === undefined && typeof message !== 'string') return undefined;
    // One without a sentence is the error of a device or the store with its message.
    const filled =
      sentence === undefined
        ? explainCause(reason.code, String(message))
        : fillFault(sentence, reason, kinds);
    // One with a colon at its end is the place of the next.
    words += `${filled}${filled.endsWith(':') ? '' : mark} `;
  }
  return words.replace(/[:;,] $/, '');
}

/** Reads sentences that an audit event has as text; empty if it has none. */
export function readReasons(text: unknown): FaultReason[] {
  if (typeof text !== 'string') return [];
  try {
    const reasons: unknown = JSON.parse(text);
    return Array.isArray(reasons) ? (reasons as FaultReason[]) : [];
  } catch {
    return [];
  }
}

/** Returns the sentences of a list in the current language, each by the finding with its message. */
export function translateSentences(
  sentences: readonly string[],
  findings: readonly Finding[] = [],
): readonly string[] {
  const byMessage = new Map(findings.map((each) => [each.message, each]));
  return sentences.map((sentence) => translateFinding(byMessage.get(sentence), sentence));
}

function explain({ code, message, reasons, german: words }: FindingCause): string {
  return words ?? explainCause(code, message, reasons);
}

function findCause(code: string | undefined): string | undefined {
  if (language.value === 'en' || code === undefined) return undefined;
  const { causes, gatewayCauses, statuses } = german.value;
  return causes[code] ?? gatewayCauses[code] ?? statuses[statusOf(code) ?? ''];
}
