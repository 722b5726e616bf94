import type { JSX } from 'preact';

import { useConsole } from '../api/console-context.ts';
import { fill } from '../text/fill.ts';
import { chooseUtc, isUtc, zoneName } from '../text/format.ts';
import { KEYS } from '../text/keys.ts';
import { chooseLanguage, language } from '../text/language.ts';
import { SHELL } from '../text/shell.ts';
import { SIGN_IN } from '../text/sign-in.ts';

interface OwnSettingsProps {
  /** Called to show the keyboard shortcuts. */
  readonly onHelp: () => void;
  /** Called to change the password. */
  readonly onPassword: () => void;
}

/** User settings: name, time zone, language, keyboard shortcuts, password, sign-out. */
export function OwnSettings({ onHelp, onPassword }: OwnSettingsProps): JSX.Element {
  const { session } = useConsole();
  return (
    <>
      <label>
        <span class="hidden">{fill(SHELL.zone)}</span>
        <select
          value={isUtc.value ? 'utc' : 'local'}
          onChange={({ currentTarget }) => chooseUtc(currentTarget.value === 'utc')}
        >
          <option value="local">{isUtc.value ? fill(SHELL.localTime) : zoneName()}</option>
          <option value="utc">UTC</option>
        </select>
      </label>
      <label>
        <span class="hidden">{fill(SHELL.language)}</span>
        <select
          value={language.value}
          onChange={({ currentTarget }) => chooseLanguage(currentTarget.value === 'de' ? 'de' : 'en')}
        >
          <option value="en">English</option>
          <option value="de">Deutsch</option>
        </select>
      </label>
      <button type="button" aria-haspopup="dialog" onClick={onHelp}>
        {fill(KEYS.title)}
      </button>
      <span class="who">{session.name}</span>
      <button type="button" class="change-password" aria-haspopup="dialog" onClick={onPassword}>
        {fill(SIGN_IN.ownPassword)}
      </button>
      <button type="button" onClick={() => void session.signOut()}>
        {fill(SHELL.signOut)}
      </button>
    </>
  );
}
