import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { goTo } from '../../parts/route.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';

interface NewItemProps {
  readonly section: string;
  readonly title: string;
  readonly isEmpty: boolean;
}

/** A section that has items: begins another one. */
export function NewItem({ section, title, isEmpty }: NewItemProps): JSX.Element {
  const [pid, setPid] = useState('');
  return (
    <>
      <h2>{title}</h2>
      {isEmpty ? <p class="soft">{fill(CONFIGURATION.noItems)}</p> : undefined}
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          goTo(['configuration', section, pid.trim()]);
        }}
      >
        <label class="field">
          <span>
            {fill(CONFIGURATION.newItem)}: {fill(CONFIGURATION.pid)}
          </span>
          <input
            name="pid"
            required
            maxLength={255}
            autocomplete="off"
            value={pid}
            onInput={({ currentTarget }) => setPid(currentTarget.value)}
          />
        </label>
        <button type="submit">{fill(CONFIGURATION.create)}</button>
      </form>
    </>
  );
}
