import { writeSync } from 'node:fs';

import type { Logger } from '../base/logger.ts';
import type { NotificationChannel } from './notification-channel.ts';

/**
 * Sends over a connected datagram socket that the process was started with: Node.js cannot open one itself.
 *
 * @param descriptor the number of the open descriptor; one datagram is one write
 */
export function createDescriptorChannel(descriptor: number, logger: Logger): NotificationChannel {
  let hasFailed = false;
  return {
    send(assignments) {
      try {
        writeSync(descriptor, assignments.join('\n'));
        hasFailed = false;
      } catch (error) {
        // Without the manager the daemon serves on; it is said once, not with every beat.
        if (!hasFailed) logger.warn('serviceManager.unreachable', { error });
        hasFailed = true;
      }
    },
  };
}
