import { askConsent } from '../terminal/ask.ts';
import { createClientVerb } from '../client/client-verb.ts';
import { UsageError } from '../command-error.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { endSession, endSessionsOf, listSessions } from '../../interface/security/sessions.ts';
import type { OpenSession } from '../../interface/security/sessions.ts';
import { formatTable } from '../terminal/table.ts';

/** Lists and ends sessions. */
export const session = createClientVerb('session', 'lists and ends the sessions of people', {
  list: {
    parameters: '',
    summary: 'lists the open sessions',
    text: 'LOCKED: the session can only be used to change the password. Who lacks the permission rest.identity sees the own sessions.',
    run: async ({ client, show }) => {
      show((await client.call(listSessions)).sessions, formatSessions);
    },
  },
  end: {
    parameters: '[ID]',
    names: ['session'],
    summary: 'ends one session, or all sessions of an identity',
    text: 'Streams of the session end with it. Who knows the password can log in again: see "penstock identity reset-password" and "penstock token revoke".',
    options: {
      identity: { value: 'NAME', help: 'ends all sessions of this identity', names: 'identity' },
      yes: { help: 'does not ask, although somebody may be at work' },
    },
    examples: ['penstock session end --identity operator --yes'],
    run: async ({ client, words: [id], options, terminal }) => {
      const name = options['identity'] as string | undefined;
      if ((id === undefined) === (name === undefined)) {
        throw new UsageError('expected either the id of a session or --identity NAME');
      }
      if (options['yes'] !== true) {
        const what = name === undefined ? `the session ${id ?? ''}` : `all sessions of ${name}`;
        await askConsent(`End ${what}?`, 'nothing was changed; repeat it with --yes', terminal);
      }
      if (name === undefined) {
        await client.call(endSession, { id: id ?? '' });
        terminal.note('the session was ended\n');
        return;
      }
      const { ended } = await client.call(endSessionsOf, { identity: name });
      terminal.note(`${ended} ${ended === 1 ? 'session' : 'sessions'} of ${name} ended\n`);
    },
  },
});

function formatSessions(sessions: readonly OpenSession[]): string {
  return formatTable(
    [
      { title: 'ID', show: ({ id }) => id },
      { title: 'IDENTITY', show: ({ identity }) => identity },
      { title: 'BY', show: ({ method }) => method },
      { title: 'FROM', show: ({ address }) => address },
      { title: 'LAST USED', show: ({ lastUsedAt }) => formatLocalTime(lastUsedAt) },
      { title: 'ENDS BY', show: ({ expiresAt }) => formatLocalTime(expiresAt) },
      { title: 'LOCKED', isOptional: true, show: ({ isLocked }) => (isLocked ? 'yes' : '') },
    ],
    sessions,
  );
}
