import type { Bundle, BundleCheck } from '../../interface/software/bundles.ts';
import { language } from '../text/language.ts';
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
export function causeWords(cause: string | undefined, code: string | undefined): string | undefined {
  return cause === undefined ? undefined : explainCause(code, cause);
}
