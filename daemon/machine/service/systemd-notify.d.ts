declare module 'systemd-notify' {
  /** Starts systemd-notify(1) with these options; rejects with the text that it printed. */
  export default function notify(options: { readonly ready?: true; readonly status?: string }): Promise<void>;
}
