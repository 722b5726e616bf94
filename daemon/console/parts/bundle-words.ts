import type { Bundle, BundleCheck } from '../../interface/software/bundles.ts';
import { fill } from '../text/fill.ts';
import { formatCount, formatTime } from '../text/format.ts';
import { language } from '../text/language.ts';
import { NORTH, SENDER_COUNTERS } from '../text/north.ts';
import type { Text } from '../text/text.ts';
import { explainCause } from './gateway-words.ts';

/** Returns what a bundle reports of itself in the current language, as far as the bundle has it. */
export function reportWords({ detail, de }: NonNullable<Bundle['status']>): string | undefined {
  return (language.value === 'de' ? de?.detail : undefined) ?? detail;
}

/** Returns a check of a bundle in the current language, as far as the bundle has it. */
export function checkWords(check: BundleCheck): BundleCheck {
  return language.value === 'de' ? { ...check, ...check.de } : check;
}

/** Returns the reason for the state of a bundle in the current language. */
export function causeWords({
  cause,
  causeCode,
  causeReasons,
}: Pick<Bundle, 'cause' | 'causeCode' | 'causeReasons'>): string | undefined {
  return cause === undefined ? undefined : explainCause(causeCode, cause, causeReasons);
}

const COUNTERS: Readonly<Record<string, Text>> = { ...SENDER_COUNTERS, lastBirthMs: NORTH.lastBirth };

/** Returns a counter of a bundle with its value; one that the gateway's senders do not report keeps its own name. */
export function counterWords(name: string, value: number): string {
  const text = COUNTERS[name];
  const title = text === undefined ? name : fill(text);
  if (name !== 'lastBirthMs') return `${title}: ${formatCount(value)}`;
  return `${title}: ${value === 0 ? fill(NORTH.noBirth) : formatTime(value)}`;
}
