/** The way of messages to the service manager. */
export interface NotificationChannel {
  /** Sends assignments such as `READY=1`, as one message (sd_notify(3)). Never throws. */
  send(assignments: readonly string[]): void;
}
