import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import type { Rest } from '../api/rest.ts';
import type {
  PersonalSettings,
  readPersonalSettings,
  replacePersonalSettings,
} from '../../interface/security/personal-settings.ts';
import { chooseUtc } from '../text/format.ts';
import { chooseLanguage } from '../text/language.ts';

const PATH = '/services/session/v1/_settings';

/** As many as the gateway stores. */
export const MAXIMUM_PINS = 12;

/** Channel on the overview. */
export type Pin = NonNullable<PersonalSettings['pins']>[number];

const current = signal<PersonalSettings>({});
const failure = signal<unknown>(undefined);
// One after the other, so that the last choice is the stored one.
let saving: Promise<void> = Promise.resolve();

/** Settings of the signed-in identity; empty until they are loaded. */
export const personalSettings: ReadonlySignal<PersonalSettings> = current;

/** Error of the last change that was not stored; undefined: none. */
export const settingsFailure: ReadonlySignal<unknown> = failure;

/** Applies a choice at once and stores it in the gateway, for every browser of the identity. */
export function changeSettings(rest: Rest, change: PersonalSettings): void {
  apply({ ...current.value, ...change });
  saving = saving.then(async () => {
    try {
      await rest.call<typeof replacePersonalSettings>('PUT', PATH, { body: toBody(current.value) });
      failure.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  });
}

/** Adds a channel to the overview, or removes it. */
export function changePin(rest: Rest, pin: Pin, isWanted: boolean): void {
  const others = (current.value.pins ?? []).filter((each) => !isSame(each, pin));
  changeSettings(rest, { pins: isWanted ? [...others, pin].slice(-MAXIMUM_PINS) : others });
}

/** True if a channel is on the overview. */
export function hasPin(pin: Pin): boolean {
  return (current.value.pins ?? []).some((each) => isSame(each, pin));
}

/** Loads the settings of the signed-in identity. */
export function usePersonalSettings(): void {
  const { rest, session } = useConsole();
  const { name } = session;
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const abort = new AbortController();
    rest.call<typeof readPersonalSettings>('GET', PATH, { abort: abort.signal }).then(apply, () => undefined);
    return () => abort.abort();
  }, [rest, name, isSignedIn]);
}

function apply(settings: PersonalSettings): void {
  current.value = settings;
  // What an identity has not chosen follows the browser.
  if (settings.zone !== undefined) chooseUtc(settings.zone === 'UTC');
  if (settings.language !== undefined) chooseLanguage(settings.language);
  document.documentElement.dataset['density'] = settings.density?.toLowerCase() ?? 'comfortable';
}

function toBody({ pins = [], ...others }: PersonalSettings) {
  return { ...others, pins: pins.map((pin) => ({ ...pin })) };
}

function isSame(one: Pin, other: Pin): boolean {
  return one.asset === other.asset && one.channel === other.channel;
}
