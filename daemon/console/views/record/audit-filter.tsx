import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { setQuery } from '../../parts/route.ts';
import { AUDIT_EVENTS } from '../../text/audit-events.ts';
import { fill } from '../../text/fill.ts';
import type { Text } from '../../text/text.ts';
import { RECORD } from '../../text/record.ts';
import { eventWords } from './audit-facts.ts';
import { OUTCOMES } from './audit-words.ts';

// Debounce, so that a name is not queried letter by letter.
const TYPING_MS = 400;

const FOLDED = ['event', 'outcome', 'identity', 'from', 'to'];

/** Filter; part of the link. On a phone, all but the search is folded. */
export function AuditFilter({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const valueOf = (name: string): string => query.get(name) ?? '';
  const count = FOLDED.filter((name) => valueOf(name) !== '').length;
  return (
    <div class="tools record-tools audit-filter">
      <label class="field">
        <span>{fill(RECORD.search)}</span>
        <input
          type="search"
          name="search"
          value={valueOf('search')}
          onInput={({ currentTarget }) => setQuery('search', currentTarget.value)}
        />
      </label>
      <button
        class="fold"
        type="button"
        aria-expanded={isOpen}
        aria-controls="audit-fields"
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? fill(RECORD.filters) : fill(RECORD.filtersSet, { count })}
      </button>
      <div id="audit-fields" class={isOpen ? 'open' : ''}>
        <label class="field">
          <span>{fill(RECORD.what)}</span>
          <select
            name="event"
            value={valueOf('event')}
            onChange={({ currentTarget }) => setQuery('event', currentTarget.value)}
          >
            <option value="">{fill(RECORD.anyKind)}</option>
            {Object.keys(AUDIT_EVENTS).map((event) => (
              <option key={event} value={event}>
                {eventWords(event)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{fill(RECORD.outcome)}</span>
          <select
            name="outcome"
            value={valueOf('outcome')}
            onChange={({ currentTarget }) => setQuery('outcome', currentTarget.value)}
          >
            <option value="">{fill(RECORD.anyOutcome)}</option>
            {Object.entries(OUTCOMES).map(([outcome, words]) => (
              <option key={outcome} value={outcome}>
                {fill(words)}
              </option>
            ))}
          </select>
        </label>
        <LateField name="identity" label={RECORD.identity} type="text" value={valueOf('identity')} />
        <LateField name="from" label={RECORD.from} type="datetime-local" value={valueOf('from')} />
        <LateField name="to" label={RECORD.to} type="datetime-local" value={valueOf('to')} />
      </div>
    </div>
  );
}

function LateField({
  name,
  label,
  type,
  value,
}: Readonly<{ name: string; label: Text; type: 'text' | 'datetime-local'; value: string }>): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <label class="field">
      <span>{fill(label)}</span>
      <input
        type={type}
        name={name}
        autocomplete="off"
        maxLength={255}
        value={value}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current);
          const typed = currentTarget.value;
          timer.current = setTimeout(() => setQuery(name, typed), TYPING_MS);
        }}
      />
    </label>
  );
}
