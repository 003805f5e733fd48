"""Whom the programs beside this file trust."""

import ssl


def trusting(arguments):
    """A context that trusts the authority whose file is the only argument; None without one."""
    return ssl.create_default_context(cafile=arguments[0]) if arguments else None
