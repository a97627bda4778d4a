commands: tuple[object, ...] = ()
