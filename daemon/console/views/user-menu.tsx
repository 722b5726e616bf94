import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { changeSettings, personalSettings, settingsFailure } from '../live/personal-settings.ts';
import { Icon } from '../parts/icon.tsx';
import { wordsOf } from '../parts/notice.tsx';
import { fill } from '../text/fill.ts';
import { isUtc, zoneName } from '../text/format.ts';
import { KEYS } from '../text/keys.ts';
import { language } from '../text/language.ts';
import { SHELL } from '../text/shell.ts';
import { SIGN_IN } from '../text/sign-in.ts';

const ID = 'user-menu';

/** Button with the name of the user that opens the user menu. */
export function UserButton({ class: look }: { readonly class: string }): JSX.Element {
  const { session } = useConsole();
  const name = session.name ?? '';
  return (
    <button type="button" class={look} popovertarget={ID} aria-label={fill(SHELL.user, { name })}>
      <Icon name="user" />
      <span>{name}</span>
    </button>
  );
}

interface UserMenuProps {
  /** Called to show the keyboard shortcuts. */
  readonly onHelp: () => void;
  /** Called to change the password. */
  readonly onPassword: () => void;
}

/** Settings of the user: time zone, language, keyboard shortcuts, password, sign-out. */
export function UserMenu({ onHelp, onPassword }: UserMenuProps): JSX.Element {
  const { rest, session } = useConsole();
  const menu = useRef<HTMLDivElement>(null);
  const [wasOpened, setWasOpened] = useState(false);
  const leaveFor = (open: () => void): void => {
    // First, so that the focus returns to the button that opened the menu.
    menu.current?.hidePopover();
    open();
  };
  return (
    <div
      id={ID}
      ref={menu}
      class="user-menu"
      popover="auto"
      role="region"
      aria-label={fill(SHELL.user, { name: session.name ?? '' })}
      onBeforeToggle={() => setWasOpened(true)}
    >
      <div class="who">{session.name}</div>
      <label>
        {fill(SHELL.zone)}
        <select
          name="zone"
          value={isUtc.value ? 'utc' : 'local'}
          onChange={({ currentTarget }) =>
            changeSettings(rest, { zone: currentTarget.value === 'utc' ? 'UTC' : 'LOCAL' })
          }
        >
          {/* Before, the page would wait for the name of the zone: a twelfth of its time to the first values. */}
          <option value="local">{isUtc.value || !wasOpened ? fill(SHELL.localTime) : zoneName()}</option>
          <option value="utc">UTC</option>
        </select>
      </label>
      <label>
        {fill(SHELL.language)}
        <select
          name="language"
          value={language.value}
          onChange={({ currentTarget }) =>
            changeSettings(rest, { language: currentTarget.value === 'de' ? 'de' : 'en' })
          }
        >
          <option value="en">English</option>
          <option value="de">Deutsch</option>
        </select>
      </label>
      <label>
        {fill(SHELL.density)}
        <select
          name="density"
          value={personalSettings.value.density ?? 'COMFORTABLE'}
          onChange={({ currentTarget }) =>
            changeSettings(rest, {
              density: currentTarget.value === 'COMPACT' ? 'COMPACT' : 'COMFORTABLE',
            })
          }
        >
          <option value="COMFORTABLE">{fill(SHELL.comfortable)}</option>
          <option value="COMPACT">{fill(SHELL.compact)}</option>
        </select>
      </label>
      {settingsFailure.value === undefined ? undefined : (
        <p class="state attention" role="alert">
          {fill(SHELL.notStored)} {wordsOf(settingsFailure.value)}
        </p>
      )}
      <button type="button" aria-haspopup="dialog" onClick={() => leaveFor(onHelp)}>
        {fill(KEYS.title)}
      </button>
      {/* Without the gateway there is no password change. */}
      {rest.link.state.value.isUp ? (
        <button type="button" aria-haspopup="dialog" onClick={() => leaveFor(onPassword)}>
          {fill(SIGN_IN.ownPassword)}
        </button>
      ) : undefined}
      <button type="button" onClick={() => leaveFor(() => void session.signOut())}>
        {fill(SHELL.signOut)}
      </button>
    </div>
  );
}
