import type { JSX } from 'preact';

import { useGatewayEvents } from '../../live/use-gateway-events.ts';
import { showEvent } from '../../parts/event-words.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { EVENTS } from '../../text/events.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';

const SHOWN = 10;

/** The newest events of the gateway, as they happen. */
export function NewestEvents(): JSX.Element {
  const gateway = useGatewayEvents();
  const state = gateway.state.value;
  const events = gateway.events.value.slice(0, SHOWN);
  return (
    <section>
      <h2>{fill(EVENTS.title)}</h2>
      {state.kind === 'LOST' ? (
        <StateWord tone="attention" words={fill(EVENTS.lost, { time: formatTime(state.sinceMs) })} />
      ) : undefined}
      {events.length === 0 && state.kind === 'OPENING' ? <Outline /> : undefined}
      {events.length === 0 && state.kind === 'LIVE' ? <p class="soft">{fill(EVENTS.none)}</p> : undefined}
      <ul class="newest">
        {events.map((event) => {
          const { tone, words, cause } = showEvent(event);
          return (
            <li key={event.key}>
              <span class="values">{formatTime(event.time)}</span>
              <span>
                <StateWord tone={tone} words={words} /> <span class="soft">{cause}</span>
              </span>
            </li>
          );
        })}
      </ul>
      {events.length === 0 ? undefined : <a href={linkTo(['record'])}>{fill(EVENTS.all)}</a>}
    </section>
  );
}
