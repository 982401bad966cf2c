// Wire
