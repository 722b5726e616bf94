export const OPERATION_STATES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** Phases of an operation on a package, in order; an uninstallation begins with SWITCHING. */
export const OPERATION_PHASES = [
  'WAITING',
  'RECEIVING',
  'CHECKING',
  'STAGING',
  'SWITCHING',
  'STARTING',
  'FINISHED',
] as const;
