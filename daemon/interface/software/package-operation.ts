export const OPERATION_STATES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** Phases of a package operation, in order; an uninstallation starts with SWITCHING. */
export const OPERATION_PHASES = [
  'WAITING',
  'RECEIVING',
  'CHECKING',
  'STAGING',
  'SWITCHING',
  'STARTING',
  'FINISHED',
] as const;
