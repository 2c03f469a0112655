print("evalog")
