"""Runs the module configuration, and confirms its change from the controller.

A module that has lost its controller goes on, so it must not confirm: the controller runs it again for that, over the
connection that the change may have cut off.
"""

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """Makes a change with one run of the module and confirms it with another."""

    def run(self, tmp=None, task_vars=None):
        """Returns the result of the change, or that of a confirmation that failed."""
        super().run(tmp, task_vars)
        name = "penstock.gateway.configuration"
        result = self._execute_module(module_name=name, module_args=self._task.args, task_vars=task_vars)
        snapshot = result.pop("unconfirmed_snapshot", None)
        if snapshot is None:
            return result
        arguments = {**self._task.args, "confirmed_snapshot": snapshot}
        confirmed = self._execute_module(module_name=name, module_args=arguments, task_vars=task_vars)
        return confirmed if confirmed.get("failed") else result
