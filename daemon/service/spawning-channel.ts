import notify from 'systemd-notify';

import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { NotificationChannel } from './notification-channel.ts';

/**
 * Sends READY and STATUS through systemd-notify(1), for a process that was started without a descriptor. The other
 * messages are left out: the package that starts the program has no means for them.
 *
 * @param socket value of `NOTIFY_SOCKET`, which the program needs
 */
export function createSpawningChannel(socket: string, logger: Logger): NotificationChannel {
  let sending = Promise.resolve();
  return {
    send(assignments) {
      if (!assignments.includes('READY=1')) return;
      const status = assignments
        .find((assignment) => assignment.startsWith('STATUS='))
        ?.slice('STATUS='.length);
      // One after the other: the variable is there only while the program is started.
      sending = sending.then(() => spawnNotify(socket, status ?? '', logger));
    },
  };
}

async function spawnNotify(socket: string, status: string, logger: Logger): Promise<void> {
  process.env['NOTIFY_SOCKET'] = socket;
  try {
    const sent = notify({ ready: true, status });
    delete process.env['NOTIFY_SOCKET'];
    await sent;
  } catch (error) {
    delete process.env['NOTIFY_SOCKET'];
    logger.warn('serviceManager.unreachable', { reason: messageOf(error) });
  }
}
