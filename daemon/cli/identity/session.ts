import { promptYesNo } from '../terminal/prompt.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { UsageError } from '../command-error.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { endSession, endSessionsOf, listSessions } from '../../interface/security/sessions.ts';
import type { OpenSession } from '../../interface/security/sessions.ts';
import { formatTable } from '../terminal/table.ts';

/** Lists and ends sessions. */
export const session = createCommandGroup('session', 'list and end user sessions', {
  list: {
    parameters: '',
    summary: 'list the open sessions',
    text: 'LOCKED: the session only permits changing the password. Without the permission rest.identity you see your own sessions only.',
    run: async ({ client, show }) => {
      show((await client.call(listSessions)).sessions, formatSessions);
    },
  },
  end: {
    parameters: '[ID]',
    names: ['session'],
    summary: 'end one session, or all sessions of an identity',
    text: 'Also ends the streams of the session. The user can log in again: see "penstock identity reset-password" and "penstock token revoke".',
    options: {
      identity: { value: 'NAME', help: 'end all sessions of this identity', names: 'identity' },
      yes: { help: 'skip confirmation, even if a user is active' },
    },
    examples: ['penstock session end --identity operator --yes'],
    run: async ({ client, words: [id], options, terminal }) => {
      const name = options['identity'] as string | undefined;
      if ((id === undefined) === (name === undefined)) {
        throw new UsageError('expected either the id of a session or --identity NAME');
      }
      if (options['yes'] !== true) {
        const what = name === undefined ? `the session ${id ?? ''}` : `all sessions of ${name}`;
        await promptYesNo(`End ${what}?`, 'nothing was changed; repeat with --yes', terminal);
      }
      if (name === undefined) {
        await client.call(endSession, { id: id ?? '' });
        terminal.note('session ended\n');
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
