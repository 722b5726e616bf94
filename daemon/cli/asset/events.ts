import type { AnswerOf } from '../../interface/endpoint.ts';
import { followEvents } from '../../interface/plant/events.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { findPage, paint } from '../terminal/page.ts';
import type { Page, Tone } from '../terminal/page.ts';
import { toPrintable } from '../terminal/table.ts';

const TONES: Readonly<Record<string, Tone>> = {
  UP: 'GOOD',
  ANSWERING: 'GOOD',
  DOWN: 'BAD',
  SUSPENDED: 'BAD',
  FAILED: 'BAD',
};

/** Prints the events of the gateway. */
export const events = createCommandGroup('events', 'print the events of the gateway until stopped', {
  '': {
    parameters: '',
    summary: 'stream events of connections, devices, packages and the configuration',
    text: 'Prints one line per event. Stop with Ctrl-C.',
    examples: ['penstock events', 'penstock events --json | jq .state'],
    run: async ({ client, isJson, terminal }) => {
      terminal.note('waiting for events; stop with Ctrl-C\n');
      const page = findPage();
      for await (const event of client.follow(followEvents, { signal: terminal.stopSignal })) {
        terminal.print(`${isJson ? JSON.stringify(event.data) : describeEvent(event, page)}\n`);
      }
    },
  },
});

function describeEvent({ type, data }: AnswerOf<typeof followEvents>, page: Page): string {
  const { type: _type, time, counters: _counters, ...fields } = data;
  const when = typeof time === 'number' ? `${formatLocalTime(time)}  ` : '';
  const parts = Object.entries(fields).map(([name, value]) => {
    const isTime = name.endsWith('At') && typeof value === 'number';
    const text = isTime ? formatLocalTime(value) : typeof value === 'string' ? value : JSON.stringify(value);
    return `${name} ${paint(toPrintable(text), TONES[text], page)}`;
  });
  return `${when}${type}  ${parts.join(', ')}`;
}
