def send_message(member, text):
    print(f"to member {member}: {text}")
