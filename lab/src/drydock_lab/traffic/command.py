def add_arguments(p):
    pass


def generate(i, o):
    pass
